/** Reports that the command cannot do what the user requested. The message states what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reports that the user ended the questions with Ctrl-C or Ctrl-D. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
