// Package groupjson is the project's notation for groups and answers: JSON, one object a line.
//
// A group has "topics" (name to number of partitions) and "members"; each member has an "id" and may have "topics", "owned" (topic to
// partition numbers), "generation", "instance", "rack", "capacity" (1 unless it is given; 0 is a draining member), "labels", "uptime" (in
// seconds) and "signals" (name to number). A group may also have "racks" (topic to a list of racks for each partition), "weights" (topic to a
// number for each partition), "leader_racks" (topic to a rack for each partition) and "signals" (name to topic to a number for each
// partition); lists that are shorter than the topic repeat. null is the same as nothing, and other fields are passed over.
//
// An answer has "assignment" (member to topic to partition numbers) and "unassigned" (reason to topic to partition numbers), or else
// "error".
//
// What belongs here: reading groups ([Decode]), writing groups and answers (Append functions), in an order that depends on nothing but
// the content. What the lines are for, and which come from where, is for the commands to know.
package groupjson
