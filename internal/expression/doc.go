// Package expression compiles and runs single expressions of expr-lang/expr, so that one written by somebody who means harm, or by
// mistake, can neither hang the program, nor exhaust its memory, nor crash it.
//
// What belongs here: bounds, checks of types, positions in errors. What does not: which variables there are, and what a result is good for.
//
// # Bounds
//
// A source has MaxSource bytes, brackets nest MaxNesting deep, the tree has maxNodes nodes, and only the builtins that Builtins lists
// exist. Of what is left, these could still grow without end or take for ever, and each has a bound of its own:
//
//   - Loops (all, filter, map and so on) count a step for each element. An Evaluator has a budget of steps, and looks at its context while
//     it counts.
//   - Text that is put together by + has maxText bytes at most. No builtin makes text longer otherwise.
//   - Lists and mappings are made of numbers, text and booleans, or are written out. Lists of lists that share their elements, which take
//     exponential time to compare, cannot be made.
//   - Ranges stand behind "in" only, with their bounds written out. Patterns of "matches" are written out, and are small once compiled.
//
// So what one evaluation does outside of loops is bounded by the length of the source and of the host's own texts.
package expression
