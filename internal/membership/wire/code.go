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
	UnknownMemberID           Code = 25
	InvalidSessionTimeout     Code = 26
	RebalanceInProgress       Code = 27
	TopicAuthorizationFailed  Code = 29
	GroupAuthorizationFailed  Code = 30
	MemberIDRequired          Code = 79
	GroupMaxSizeReached       Code = 81
	FencedInstanceID          Code = 82
)

var codeNames = map[Code]string{
	None:                      "NONE",
	UnknownTopicOrPartition:   "UNKNOWN_TOPIC_OR_PARTITION",
	RequestTimedOut:           "REQUEST_TIMED_OUT",
	NetworkException:          "NETWORK_EXCEPTION",
	CoordinatorLoading:        "COORDINATOR_LOAD_IN_PROGRESS",
	CoordinatorNotAvailable:   "COORDINATOR_NOT_AVAILABLE",
	NotCoordinator:            "NOT_COORDINATOR",
	IllegalGeneration:         "ILLEGAL_GENERATION",
	InconsistentGroupProtocol: "INCONSISTENT_GROUP_PROTOCOL",
	UnknownMemberID:           "UNKNOWN_MEMBER_ID",
	InvalidSessionTimeout:     "INVALID_SESSION_TIMEOUT",
	RebalanceInProgress:       "REBALANCE_IN_PROGRESS",
	TopicAuthorizationFailed:  "TOPIC_AUTHORIZATION_FAILED",
	GroupAuthorizationFailed:  "GROUP_AUTHORIZATION_FAILED",
	MemberIDRequired:          "MEMBER_ID_REQUIRED",
	GroupMaxSizeReached:       "GROUP_MAX_SIZE_REACHED",
	FencedInstanceID:          "FENCED_INSTANCE_ID",
}

// String returns Kafka's name of the code.
func (c Code) String() string {
	if s, ok := codeNames[c]; ok {
		return s
	}
	return fmt.Sprintf("error code %d", int16(c))
}

// Error makes a code an error, for codes that are not [None].
func (c Code) Error() string { return c.String() }
