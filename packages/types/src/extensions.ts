/* oxlint-disable typescript/no-empty-object-type -- empty until a `register` entry adds to them */

/** Methods that `register` entries add to every `Context`, such as `sse()`. Only those entries may augment it. */
export interface ContextExtensions {}

/** Methods that `register` entries add to every `Router`, such as `staticFiles()`. Only those entries may augment it. */
export interface RouterExtensions {}
