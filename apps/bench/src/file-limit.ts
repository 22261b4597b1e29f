import { readFileSync } from 'node:fs'

/** Descriptors that a process needs besides its connections. */
const OTHERS = 200

/** Why so many connections cannot be opened here; `undefined` if they can. */
export function fileLimitReason(connections: number): string | undefined {
  const limits = process.platform === 'linux' ? readFileSync('/proc/self/limits', 'utf8') : ''
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
  const needed = connections + OTHERS
  return limit < needed ? `only ${limit} files may be open at once; raise it by ulimit -n ${needed}` : undefined
}
