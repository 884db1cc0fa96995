// Package rules assigns partitions by rules that are written down, not programmed: which member may have a partition, how heavy a
// partition is, how much a member can carry, what is preferred, what stays together. docs/rules.md is the guide.
//
// What belongs here: variables, the file's format, and what the results of expressions mean. What does not: bounds of expressions
// (internal/expression) and deciding who gets what (internal/balance/weighted).
package rules
