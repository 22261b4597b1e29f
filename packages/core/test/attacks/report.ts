/**
 * Prints a table of all attacks, compared with a bare server: `report.ts [connections] [seconds] [settle seconds] [part
 * of an attack's name] [rounds]`.
 */
import { leastDisturbed } from '@fw/testing/stolen-time'
import { ATTACKS, type AttackName } from './attacks.ts'
import { underAttack, type Endurance, type TargetName } from './under-attack.ts'

/** Maximum number of runs per attack. A run is repeated if steal time exceeds 3%. */
const MAX_RUNS = 4

const [connections = '1000', seconds = '15', settle = '5', part = '', rounds = '1'] = process.argv.slice(2)
console.log(
  '| attack | server | memory growth | p50 of others | p99 | kept connections, p99 | new connections, p90 | event-loop turn, p99 and maximum (CPU time) | not answered | steal time | runs |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|---|')
for (const name of Object.keys(ATTACKS) as AttackName[]) {
  if (!name.includes(part)) continue
  // Alternate the servers, because the load of a shared machine varies.
  for (let round = 0; round < Number(rounds); round++) {
    await report(name, 'target.ts')
    await report(name, 'bare-target.ts')
  }
}

async function report(name: AttackName, target: TargetName): Promise<void> {
  const isOurs = target === 'target.ts'
  // With steal time, the latencies do not reflect the server. The bare server is run once, because its turns can take
  // minutes.
  const { result, turns } = await leastDisturbed(
    () => underAttack(name, Number(connections), Number(seconds), Number(settle), target),
    isOurs ? MAX_RUNS : 1,
  )
  console.log(`| ${name} | ${isOurs ? 'fw' : 'bare'} | ${columns(result).join(' | ')} | ${turns} |`)
}

function columns(endurance: Endurance): string[] {
  const { grownBytes, latenciesMs, newLatenciesMs, keptLatenciesMs, turnsMs, failures, stolenShare } = endurance
  const memory = `${Math.round(grownBytes / 2 ** 20)} MiB`
  return [
    memory,
    at(latenciesMs, 0.5),
    at(latenciesMs, 0.99),
    at(keptLatenciesMs, 0.99),
    at(newLatenciesMs, 0.9),
    `${at(turnsMs, 0.99)}, ${at(turnsMs, 1)}`,
    String(failures),
    `${(stolenShare * 100).toFixed(1)}%`,
  ]
}

/** Returns the given quantile of sorted values. */
function at(ascending: readonly number[], share: number): string {
  return ms(ascending[Math.min(Math.floor(ascending.length * share), ascending.length - 1)] ?? NaN)
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
