/** Maximum delay of a Node.js timer, in milliseconds. Node.js fires a longer timer after one millisecond. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1
