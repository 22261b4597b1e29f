import { readFileSync } from 'node:fs'

/** File descriptors that a process needs in addition to its connections. */
const OTHERS = 200

/** Returns the reason why this machine cannot open the given number of connections, or `undefined` if it can. */
export function fileLimitReason(connections: number): string | undefined {
  const limits = process.platform === 'linux' ? readFileSync('/proc/self/limits', 'utf8') : ''
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
  const needed = connections + OTHERS
  return limit < needed ? `the limit of open files is ${limit}; raise it with ulimit -n ${needed}` : undefined
}
