package connect

import (
	"github.com/IBM/sarama"
	"github.com/xdg-go/scram"
)

// scramClient is one SCRAM login.
type scramClient struct {
	hash         scram.HashGeneratorFcn
	conversation *scram.ClientConversation
}

// scramLogins returns what makes one for each connection.
func scramLogins(hash scram.HashGeneratorFcn) func() sarama.SCRAMClient {
	return func() sarama.SCRAMClient { return &scramClient{hash: hash} }
}

// Begin starts the login.
func (c *scramClient) Begin(user, password, authzID string) error {
	client, err := c.hash.NewClient(user, password, authzID)
	if err != nil {
		return err
	}
	c.conversation = client.NewConversation()
	return nil
}

// Step answers what the broker sent. The last of its answers proves that it knows the password, too.
func (c *scramClient) Step(challenge string) (string, error) { return c.conversation.Step(challenge) }

// Done reports that nothing more is to be sent.
func (c *scramClient) Done() bool { return c.conversation.Done() }
