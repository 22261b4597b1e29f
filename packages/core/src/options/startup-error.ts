/** The server cannot start as it is configured. The message is one line that says what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
