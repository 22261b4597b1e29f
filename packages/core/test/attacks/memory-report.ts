/**
 * Prints a table of the attacks on memory: `memory-report.ts [seconds] [settle seconds] [part of a name]`. The heap is
 * limited to 512 MiB; 20 connections have 100 streams each.
 */
import { MEMORY_ATTACKS } from './attacks.ts'
import { underAttack } from './under-attack.ts'

const [seconds = '10', settle = '3', part = ''] = process.argv.slice(2)
console.log('| attack | memory growth | p99 of others before the attack | under attack | not answered with 200 |')
console.log('|---|---|---|---|---|')
for (const name of MEMORY_ATTACKS.keys()) {
  if (!name.includes(part)) continue
  const result = await underAttack(name, 20, Number(seconds), Number(settle), 'memory-target.ts')
  const memory = `${Math.round(result.grownBytes / 2 ** 20)} MiB`
  const [quiet, attacked] = [p99(result.quietLatenciesMs), p99(result.latenciesMs)]
  console.log(`| ${name} | ${memory} | ${quiet} | ${attacked} | ${result.failures} |`)
}

function p99(ascending: readonly number[]): string {
  return `${(ascending[Math.floor(ascending.length * 0.99)] ?? ascending.at(-1) ?? NaN).toFixed(1)} ms`
}
