package histories

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership"
)

// A Script plays a history, a command a line. Unless it says otherwise, the network is one of 1 ms without jitter, and applications do nothing
// of themselves. Processes go by their name, or by #N: of those that live, the one that N falls on counting round.
//
//	seed N [strict] [lies]       as a first command: a world as of the histories, with that seed
//	topic NAME COUNT             create a topic, or let it grow
//	grow NAME COUNT              let a topic grow by so much, if there is one
//	delete NAME                  delete a topic
//	recreate NAME COUNT          delete a topic, and create one of that name at once
//	delete group                 delete the group, if it has no members
//	member NAME [KEY=VALUE ...]  start a process: instance, rack, offers, topics, callback, assign, revoke, lost (how long callbacks take), fail (its
//	                             Assign does), plan (how long its first plan takes), failplan, looks (between looks at the topics), garbage (what
//	                             it says to the group), handover (takes part in hand-overs)
//	run DURATION                 let time pass
//	settle                       let time pass until the group is as it should be
//	leave NAME [for good]        have a process leave; a static one leaves the group only for good
//	leave NAME promptly          have it leave without handing over
//	kill NAME                    end a process without a word
//	restart NAME [DURATION]      the same, and start it again, with the settings it had
//	deploy NAME [OFFERS]         have a process leave, and start it again a second later, with these offers
//	pause NAME D, cut NAME D     stop a process, or all of its traffic, for a while
//	rejoin NAME, drain NAME      ask for a rebalance; give partitions away before leaving
//	subscribe NAME TOPIC ...     change the topics of a process
//	commit NAME TOPIC-N@OFFSET   commit
//	rewind NAME TOPIC-N@OFFSET   commit, also where that goes back
//	stored TOPIC-N@OFFSET        fail unless that is stored
//	break NAME LANE              break a connection: group, offsets
//	lose NAME REQUEST            lose the next answer to a request (Join, Sync, ...) and its connection
//	block NAME REQUEST, unblock  keep requests back; let them go
//	hold NAME REQUEST            have the broker hold the next such request, whatever becomes of its connection, until unblock
//	kill coordinator [in STATE]  end the broker that coordinates, now or when the group comes into a state
//	move coordinator             make another broker the coordinator
//	depose coordinator D         the same without the present one knowing, for so long
//	owns NAME PARTITIONS         fail unless the process works on just these, such as t[0-2]
//	idle                         have applications do nothing of themselves any more
//	heal                         end what is blocked, and troubles that wait for their moment
//	show                         print all machines
//	quietly COMMAND              say nothing of what happens
type Script struct {
	w      *World
	faulty Faulty
}

// NewScript returns a world to play in.
func NewScript(faulty Faulty) *Script {
	s := &Script{w: NewWorld(Options{Seed: 1, Verbose: true, Idle: true, Faulty: faulty}), faulty: faulty}
	s.w.Run(0)
	s.w.Lines()
	return s
}

var (
	errUsage     = errors.New("no such command, or not so")
	errNoProcess = errors.New("no process")
)

// Do carries a command out and returns what happened, a line each.
func (s *Script) Do(line string) []string {
	f := strings.Fields(line)
	if len(f) > 1 && f[0] == "quietly" {
		out := s.Do(strings.Join(f[1:], " "))
		for _, l := range out {
			if strings.Contains(l, "FAULT") || strings.Contains(l, "error:") {
				return out
			}
		}
		return nil
	}
	err := s.command(f)
	if len(f) > 0 && f[0] != "run" && f[0] != "settle" {
		s.w.Run(s.w.now)
	}
	out := s.w.Lines()
	if err != nil {
		out = append(out, "error: "+err.Error())
	}
	return out
}

// Faults is what was found that must not be.
func (s *Script) Faults() []error { return s.w.Faults() }

func (s *Script) command(f []string) error {
	w := s.w
	switch {
	case len(f) == 1 && f[0] == "settle":
		w.Settle(time.Minute)
	case len(f) == 1 && f[0] == "show":
		w.show()
	case len(f) == 1 && f[0] == "unblock":
		w.Unblock()
	case len(f) == 2 && f[0] == "stored":
		return w.isStored(f[1])
	case len(f) == 1 && f[0] == "idle":
		w.opts.Idle = true
	case len(f) == 1 && f[0] == "heal":
		w.heal()
	case len(f) >= 2 && f[0] == "seed":
		n, err := strconv.ParseUint(f[1], 10, 64)
		s.w = newHistory(n, slices.Contains(f, "strict"), slices.Contains(f, "lies"), s.faulty, true)
		return err
	case len(f) == 2 && f[0] == "run":
		d, err := time.ParseDuration(f[1])
		w.Run(w.now + d)
		return err
	case len(f) == 2 && f[0] == "delete" && f[1] == "group":
		w.deleteGroup()
	case len(f) == 2 && f[0] == "delete":
		w.DeleteTopic(f[1])
	case len(f) == 3 && (f[0] == "topic" || f[0] == "recreate" || f[0] == "grow"):
		return w.topicText(f[0], f[1], f[2])
	case len(f) >= 2 && f[0] == "member":
		spec, err := parseSpec(f[1:])
		if err == nil {
			w.Launch(spec)
		}
		return err
	case len(f) >= 2 && f[1] == "coordinator":
		return s.onCoordinator(f)
	case len(f) == 3 && f[0] == "block":
		w.Block(f[1], f[2])
	case len(f) == 3 && f[0] == "hold":
		w.Hold(f[1], f[2])
	case len(f) == 3 && f[0] == "lose" && f[1][0] != '#': // perhaps one that has not started yet
		w.LoseReply(f[1], f[2])
	case len(f) >= 2 && f[1][0] == '#':
		n, err := strconv.Atoi(f[1][1:])
		if p := w.some(n); p != nil && err == nil {
			return onProcess(p, f[0], f[2:])
		}
		return err
	case len(f) >= 2:
		for i := len(w.procs) - 1; i >= 0; i-- {
			if p := w.procs[i]; p.Name == f[1] {
				return onProcess(p, f[0], f[2:])
			}
		}
		return fmt.Errorf("%w %q", errNoProcess, f[1])
	default:
		return errUsage
	}
	return nil
}

func (s *Script) onCoordinator(f []string) error {
	switch {
	case f[0] == "move":
		s.w.MoveCoordinator()
	case f[0] == "kill" && len(f) == 2:
		s.w.KillCoordinator()
	case f[0] == "depose" && len(f) == 3:
		d, err := time.ParseDuration(f[2])
		s.w.Depose(d)
		return err
	case f[0] == "kill" && len(f) == 4 && f[2] == "in":
		for _, state := range []coordinator.State{coordinator.Empty, coordinator.Preparing, coordinator.Completing, coordinator.Stable} {
			if state.String() == f[3] {
				s.w.KillCoordinatorIn(state)
				return nil
			}
		}
		return fmt.Errorf("no state %q", f[3])
	default:
		return errUsage
	}
	return nil
}

func onProcess(p *Process, verb string, args []string) error {
	switch verb {
	case "leave":
		promptly := len(args) == 1 && args[0] == "promptly"
		p.Leave(len(args) > 0 && !promptly, promptly)
	case "kill":
		p.Kill()
	case "restart":
		if p.alive {
			p.Kill()
		}
		if len(args) == 1 {
			d, err := time.ParseDuration(args[0])
			p.w.at(p.w.now+d, func() { p.w.relaunch(p.spec) })
			return err
		}
		p.w.Launch(p.spec)
	case "deploy":
		spec := p.spec
		if len(args) == 1 {
			spec.Offers = strings.Split(args[0], ",")
		}
		p.Leave(false, false)
		p.w.deployed(spec)
	case "lose":
		if len(args) != 1 {
			return errUsage
		}
		p.w.LoseReply(p.Name, args[0])
	case "rejoin":
		p.whenAwake(func() { p.step(membership.Rejoin{Reason: "asked"}) })
	case "drain":
		p.Drain()
	case "subscribe":
		p.subscribe(args)
	case "commit", "rewind":
		return p.app.commitText(args, verb == "rewind")
	case "owns":
		if got := membership.DescribePartitions(p.Machine.Owned()); got != strings.Join(args, " ") {
			return fmt.Errorf("%s works on %s", p.Name, got)
		}
	case "pause", "cut":
		if len(args) != 1 {
			return errUsage
		}
		d, err := time.ParseDuration(args[0])
		if verb == "cut" {
			p.Cut(d)
		} else {
			p.Pause(d)
		}
		return err
	case "break":
		for _, lane := range []membership.Lane{membership.Group, membership.Offsets} {
			if len(args) == 1 && lane.String() == args[0] {
				p.w.Break(p, lane)
				return nil
			}
		}
		return errUsage
	default:
		return errUsage
	}
	return nil
}

// show notes all machines.
func (w *World) show() {
	if m := w.coordinator(); m != nil {
		for _, line := range strings.Split(strings.TrimSpace(m.Describe()), "\n") {
			w.note("%s", line)
		}
	}
	for _, p := range w.living() {
		w.note("%s: %s", p.Name, p.Machine.Describe())
	}
}
