import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A member of a group with Kafka's own consumer, which tells what happens line by line and leaves when its input ends.
 *
 * <p>Arguments: brokers, group, topic, commits (automatic, asynchronous, synchronous), heartbeat and duration of the revoke callback in
 * milliseconds, the partition that waits for synchronous commits, group protocol (classic, consumer), instance id or nothing. Lines: D
 * partition offset microseconds, A or R or L with partitions, S for a commit that is sent, C with its error if there is one, G generation.
 */
public final class Member implements ConsumerRebalanceListener {
    private final PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false);
    private final String commits;
    private final long revokes;
    private final int syncPartition;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private volatile boolean ending;

    private Member(String[] args) {
        commits = args[3];
        revokes = Long.parseLong(args[5]);
        syncPartition = Integer.parseInt(args[6]);
        Properties p = new Properties();
        p.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
        p.put(ConsumerConfig.GROUP_ID_CONFIG, args[1]);
        p.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        p.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, !commits.equals("asynchronous"));
        p.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, args[7]);
        if (args[7].equals("classic")) { // in the other one brokers assign, and say how often to send heartbeats
            p.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
            if (!args[4].equals("0")) {
                p.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, args[4]);
            }
        }
        if (!args[8].isEmpty()) {
            p.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, args[8]);
        }
        p.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        p.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        consumer = new KafkaConsumer<>(p);
        consumer.subscribe(List.of(args[2]), this);
    }

    public static void main(String[] args) {
        Member m = new Member(args);
        Thread listener = new Thread(m::waitForEnd);
        listener.setDaemon(true);
        listener.start();
        m.run();
    }

    private void waitForEnd() {
        try {
            while (System.in.read() >= 0) {
                // nothing is said
            }
        } catch (IOException e) {
            // the end as well
        }
        ending = true;
        consumer.wakeup();
    }

    private void run() {
        int generation = -1;
        try {
            while (!ending) {
                handle(consumer.poll(Duration.ofMillis(100)));
                int now = consumer.groupMetadata().generationId();
                if (now != generation) {
                    generation = now;
                    out.println("G " + now);
                }
                out.flush();
            }
        } catch (WakeupException e) {
            // the end
        } finally {
            consumer.close();
            out.flush();
        }
    }

    private void handle(ConsumerRecords<byte[], byte[]> records) {
        for (ConsumerRecord<byte[], byte[]> r : records) {
            Instant now = Instant.now();
            out.println("D " + r.partition() + " " + r.offset() + " " + (now.getEpochSecond() * 1_000_000 + now.getNano() / 1000));
            if (commits.equals("synchronous") && r.partition() == syncPartition) {
                commitSync(r);
            }
        }
        if (commits.equals("asynchronous") && !records.isEmpty()) {
            out.println("S");
            consumer.commitAsync((offsets, e) -> committed(e));
        }
    }

    private void commitSync(ConsumerRecord<byte[], byte[]> r) {
        out.println("S");
        out.flush();
        try {
            consumer.commitSync(Map.of(new TopicPartition(r.topic(), r.partition()), new OffsetAndMetadata(r.offset() + 1)));
            committed(null);
        } catch (WakeupException e) {
            committed(null); // what the end of the program interrupts has not failed
            throw e;
        } catch (RuntimeException e) {
            committed(e);
        }
    }

    private void committed(Exception e) {
        out.println(e == null ? "C" : "C " + e.toString().replace('\n', ' '));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> added) {
        say("A", added);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> removed) {
        if (commits.equals("asynchronous") && !removed.isEmpty()) {
            consumer.commitSync();
        }
        if (revokes > 0 && !removed.isEmpty()) {
            try {
                Thread.sleep(revokes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        say("R", removed);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> removed) {
        say("L", removed);
    }

    /** Java calls its callbacks also with nothing; that is no callback that anybody would count. */
    private void say(String what, Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty()) {
            out.println(what + " " + partitions.stream().map(p -> Integer.toString(p.partition())).collect(Collectors.joining(" ")));
            out.flush();
        }
    }
}
