/** Longest delay of a Node.js timer, in milliseconds. A longer one fires after one millisecond. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1
