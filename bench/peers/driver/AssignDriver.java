import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/**
 * Runs Kafka's own assignors, those of clients and those of brokers, for a program that speaks to it on stdin and listens on stdout, and ends with that program.
 *
 * <p>Two requests, with the encoding of DataInput: 'g' replaces the group and has no answer; 'a' with the name of an assignor has it
 * assign once. The answer is 0, nanoseconds and the assignment, or 1 and what was thrown. Topics are numbers, in the group's order.
 */
public final class AssignDriver {
    private String[] topics = {};
    private int[] counts = {};
    private Map<String, Integer> numbers = new HashMap<>();
    private Cluster cluster = Cluster.empty();
    private List<Member> members = List.of();

    private record Member(String id, String instance, List<String> topics, int generation, List<TopicPartition> owned) {}

    public static void main(String[] args) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
        System.setOut(System.err); // nothing but answers goes out
        endWithParent();
        AssignDriver driver = new AssignDriver();
        try {
            for (;;) {
                if (in.readByte() == 'g') {
                    driver.readGroup(in);
                } else {
                    driver.assign(in.readUTF(), out);
                    out.flush();
                }
            }
        } catch (EOFException end) {
            // the parent has closed the stream
        }
    }

    /** An assignor that runs on and on does not notice the end of stdin. */
    private static void endWithParent() {
        Optional<ProcessHandle> parent = ProcessHandle.current().parent();
        Thread watch = new Thread(() -> {
            try {
                while (parent.isPresent() && parent.get().isAlive()) {
                    Thread.sleep(200);
                }
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }

    private void readGroup(DataInputStream in) throws IOException {
        topics = new String[in.readInt()];
        counts = new int[topics.length];
        numbers = new HashMap<>();
        List<PartitionInfo> partitions = new ArrayList<>();
        Node node = new Node(0, "localhost", 9092);
        Node[] replicas = {node};
        for (int t = 0; t < topics.length; t++) {
            topics[t] = in.readUTF();
            numbers.put(topics[t], t);
            counts[t] = in.readInt();
            for (int p = 0; p < counts[t]; p++) {
                partitions.add(new PartitionInfo(topics[t], p, node, replicas, replicas));
            }
        }
        cluster = new Cluster("peers", List.of(node), partitions, Collections.emptySet(), Collections.emptySet());
        List<List<String>> subscriptions = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String[] list = new String[in.readInt()];
            for (int i = 0; i < list.length; i++) {
                list[i] = topics[in.readInt()];
            }
            subscriptions.add(Arrays.asList(list));
        }
        members = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String id = in.readUTF();
            String instance = in.readUTF();
            List<String> subscription = subscriptions.get(in.readInt());
            int generation = in.readInt();
            List<TopicPartition> owned = new ArrayList<>();
            for (int n = in.readInt(); n > 0; n--) {
                String topic = topics[in.readInt()];
                owned.add(new TopicPartition(topic, in.readInt()));
            }
            members.add(new Member(id, instance, subscription, generation, owned));
        }
    }

    private static ConsumerPartitionAssignor create(String name) {
        return switch (name) {
            case "range" -> new org.apache.kafka.clients.consumer.RangeAssignor();
            case "roundrobin" -> new RoundRobinAssignor();
            case "sticky" -> new StickyAssignor();
            case "cooperative-sticky" -> new CooperativeStickyAssignor();
            default -> throw new IllegalArgumentException("no assignor " + name);
        };
    }

    /** What a member with this assignor says when it joins. Eager ones have given up everything by then. */
    private static Subscription join(String name, Member m) {
        ConsumerPartitionAssignor assignor = create(name);
        Optional<String> instance = m.instance.isEmpty() ? Optional.empty() : Optional.of(m.instance);
        if (m.generation >= 0) {
            assignor.onAssignment(new Assignment(m.owned), new ConsumerGroupMetadata("peers", m.generation, m.id, instance));
        }
        ByteBuffer data = assignor.subscriptionUserData(new TreeSet<>(m.topics));
        boolean keeps = assignor.supportedProtocols().contains(RebalanceProtocol.COOPERATIVE);
        Subscription s = new Subscription(m.topics, data, keeps ? m.owned : List.of(), m.generation, Optional.empty());
        s.setGroupInstanceId(instance);
        return s;
    }

    /** A group as an assignor takes it: run is what is timed, answer is what it gave. */
    private interface Prepared {
        void run();

        Map<String, List<TopicPartition>> answer();
    }

    /** For an assignor of clients. */
    private Prepared client(String name) {
        Map<String, Subscription> joined = new LinkedHashMap<>();
        for (Member m : members) {
            joined.put(m.id, join(name, m));
        }
        ConsumerPartitionAssignor leader = create(name);
        GroupSubscription subscriptions = new GroupSubscription(joined);
        return new Prepared() {
            private GroupAssignment answer;

            @Override
            public void run() {
                answer = leader.assign(cluster, subscriptions);
            }

            @Override
            public Map<String, List<TopicPartition>> answer() {
                Map<String, List<TopicPartition>> all = new HashMap<>();
                answer.groupAssignment().forEach((id, a) -> all.put(id, a.partitions()));
                return all;
            }
        };
    }

    /** For an assignor of brokers, which is given the whole group with what each member is to have at present. */
    private Prepared server(String name) {
        ConsumerGroupPartitionAssignor assignor = switch (name) {
            case "server-uniform" -> new UniformAssignor();
            case "server-range" -> new RangeAssignor();
            default -> throw new IllegalArgumentException("no assignor " + name);
        };
        Map<String, MemberSubscriptionAndAssignmentImpl> spec = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        Set<Set<Uuid>> subscriptions = new HashSet<>();
        Map<List<String>, Set<Uuid>> known = new HashMap<>();
        for (Member m : members) {
            Set<Uuid> subscription = known.computeIfAbsent(m.topics, list -> {
                Set<Uuid> ids = new HashSet<>();
                list.forEach(topic -> ids.add(id(numbers.get(topic))));
                return ids;
            });
            subscriptions.add(subscription);
            Map<Uuid, Set<Integer>> owned = new HashMap<>();
            for (TopicPartition p : m.owned) {
                Uuid topic = id(numbers.get(p.topic()));
                owned.computeIfAbsent(topic, t -> new HashSet<>()).add(p.partition());
                owners.computeIfAbsent(topic, t -> new HashMap<>()).put(p.partition(), m.id);
            }
            Optional<String> instance = m.instance.isEmpty() ? Optional.empty() : Optional.of(m.instance);
            spec.put(m.id, new MemberSubscriptionAndAssignmentImpl(Optional.empty(), instance, subscription,
                new org.apache.kafka.coordinator.group.modern.Assignment(owned)));
        }
        SubscriptionType type = subscriptions.size() > 1 ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
        GroupSpecImpl group = new GroupSpecImpl(spec, type, owners);
        SubscribedTopicDescriber describer = new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(Uuid topic) {
                return counts[number(topic)];
            }

            @Override
            public Set<String> racksForPartition(Uuid topic, int partition) {
                return Set.of();
            }
        };
        return new Prepared() {
            private Map<String, MemberAssignment> answer;

            @Override
            public void run() {
                answer = assignor.assign(group, describer).members();
            }

            @Override
            public Map<String, List<TopicPartition>> answer() {
                Map<String, List<TopicPartition>> all = new HashMap<>();
                answer.forEach((id, a) -> {
                    List<TopicPartition> list = new ArrayList<>();
                    a.partitions().forEach((topic, partitions) ->
                        partitions.forEach(p -> list.add(new TopicPartition(topics[number(topic)], p))));
                    all.put(id, list);
                });
                return all;
            }
        };
    }

    /** Topics have ids on brokers; small ones are reserved. */
    private static Uuid id(int topic) {
        return new Uuid(1 << 16, topic);
    }

    private static int number(Uuid id) {
        return (int) id.getLeastSignificantBits();
    }

    private void assign(String name, DataOutputStream out) throws IOException {
        Map<String, List<TopicPartition>> answer;
        long took;
        try {
            Prepared prepared = name.startsWith("server-") ? server(name) : client(name);
            System.gc(); // what preparing left behind is not the assignor's to clean up
            long started = System.nanoTime();
            prepared.run();
            took = System.nanoTime() - started;
            answer = prepared.answer();
        } catch (Throwable e) {
            String text = e.toString();
            out.writeByte(1);
            out.writeUTF(text.substring(0, Math.min(text.length(), 1000)));
            return;
        }
        out.writeByte(0);
        out.writeLong(took);
        out.writeInt(answer.size());
        for (Map.Entry<String, List<TopicPartition>> e : answer.entrySet()) {
            out.writeUTF(e.getKey());
            out.writeInt(e.getValue().size());
            for (TopicPartition p : e.getValue()) {
                out.writeInt(numbers.getOrDefault(p.topic(), -1));
                out.writeInt(p.partition());
            }
        }
    }
}
