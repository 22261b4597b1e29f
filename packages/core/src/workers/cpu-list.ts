/**
 * Reads a list of CPUs as Linux writes it in `/proc/self/status`.
 *
 * @example
 * parseCpuList('0-2,8')    // [0, 1, 2, 8]
 */
export function parseCpuList(text: string): number[] {
  const cpus: number[] = []
  for (const [, first, last = first] of text.matchAll(/(\d+)(?:-(\d+))?/g)) {
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.push(cpu)
  }
  return cpus
}
