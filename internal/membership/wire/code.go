package wire

import "fmt"

// A Code is a Kafka error code in a reply. [None] is success.
type Code int16

// The codes that a coordinator answers group requests with.
const (
	None                      Code = 0
	UnknownTopicOrPartition   Code = 3
	RequestTimedOut           Code = 7
	NetworkException          Code = 13
	CoordinatorLoading        Code = 14
	CoordinatorNotAvailable   Code = 15
	NotCoordinator            Code = 16
	IllegalGeneration         Code = 22
	InconsistentGroupProtocol Code = 23
	InvalidGroupID            Code = 24
	UnknownMemberID           Code = 25
	InvalidSessionTimeout     Code = 26
	RebalanceInProgress       Code = 27
	TopicAuthorizationFailed  Code = 29
	GroupAuthorizationFailed  Code = 30
	MemberIDRequired          Code = 79
	GroupMaxSizeReached       Code = 81
	FencedInstanceID          Code = 82
)

// A Kind is what a code is about, and with it what a member does about it.
type Kind uint8

// The kinds there are. What members do about a code [OfMember] depends on the code, on the request and on the state they are in.
const (
	OfRequest Kind = iota // what was asked for, such as one offset; also a code that is not known
	OfMember              // the member's part in the group
	Passing               // the coordinator, which may answer otherwise soon
	Moved                 // the coordinator, which is to be found anew
	Final                 // the group or the member, in a way that trying again does not mend
)

// codes is the only list of them: all that is done about a code of one of the last three kinds follows from its row.
var codes = map[Code]struct {
	name string
	kind Kind
}{
	None:                      {"NONE", OfRequest},
	UnknownTopicOrPartition:   {"UNKNOWN_TOPIC_OR_PARTITION", OfRequest},
	RequestTimedOut:           {"REQUEST_TIMED_OUT", Passing},
	NetworkException:          {"NETWORK_EXCEPTION", Passing},
	CoordinatorLoading:        {"COORDINATOR_LOAD_IN_PROGRESS", Passing},
	CoordinatorNotAvailable:   {"COORDINATOR_NOT_AVAILABLE", Moved},
	NotCoordinator:            {"NOT_COORDINATOR", Moved},
	IllegalGeneration:         {"ILLEGAL_GENERATION", OfMember},
	InconsistentGroupProtocol: {"INCONSISTENT_GROUP_PROTOCOL", Final},
	InvalidGroupID:            {"INVALID_GROUP_ID", Final},
	UnknownMemberID:           {"UNKNOWN_MEMBER_ID", OfMember},
	InvalidSessionTimeout:     {"INVALID_SESSION_TIMEOUT", Final},
	RebalanceInProgress:       {"REBALANCE_IN_PROGRESS", OfMember},
	TopicAuthorizationFailed:  {"TOPIC_AUTHORIZATION_FAILED", OfRequest},
	GroupAuthorizationFailed:  {"GROUP_AUTHORIZATION_FAILED", Final},
	MemberIDRequired:          {"MEMBER_ID_REQUIRED", OfMember},
	GroupMaxSizeReached:       {"GROUP_MAX_SIZE_REACHED", Final},
	FencedInstanceID:          {"FENCED_INSTANCE_ID", Final},
}

// Kind returns what a code is about.
func (c Code) Kind() Kind { return codes[c].kind }

// String returns Kafka's name of the code.
func (c Code) String() string {
	if known, ok := codes[c]; ok {
		return known.name
	}
	return fmt.Sprintf("error code %d", int16(c))
}

// Error makes a code an error, for codes that are not [None].
func (c Code) Error() string { return c.String() }
