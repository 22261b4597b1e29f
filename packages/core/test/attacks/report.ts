/**
 * Writes how every attack is stood, as a table, beside what a server stands that does nothing:
 * `report.ts [connections] [seconds] [settle seconds] [part of an attack's name] [rounds]`.
 */
import { leastDisturbed } from '@fw/testing/stolen-time'
import { ATTACKS, type AttackName } from './attacks.ts'
import { underAttack, type Endurance, type TargetName } from './under-attack.ts'

/** How often an attack is repeated at most because others on the host took more than 3 % of the processors. */
const MOST_TURNS = 4

const [connections = '1000', seconds = '15', settle = '5', part = '', rounds = '1'] = process.argv.slice(2)
console.log(
  '| attack | server | memory grows by | p50 of others | p99 | kept connections, p99 | new connections, p90 | turn of the event loop, p99 and longest (processor time) | not answered | processors taken by others | turns |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|---|')
for (const name of Object.keys(ATTACKS) as AttackName[]) {
  if (!name.includes(part)) continue
  // In turns, as a machine that others use is not the same from minute to minute.
  for (let round = 0; round < Number(rounds); round++) {
    await report(name, 'target.ts')
    await report(name, 'bare-target.ts')
  }
}

async function report(name: AttackName, target: TargetName): Promise<void> {
  const isOurs = target === 'target.ts'
  // Where others on the host have the processors, the time of a response is theirs. Of the bare server a turn may take minutes.
  const { result, turns } = await leastDisturbed(
    () => underAttack(name, Number(connections), Number(seconds), Number(settle), target),
    isOurs ? MOST_TURNS : 1,
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
    `${(stolenShare * 100).toFixed(1)} %`,
  ]
}

/** What a share of the values is at most. */
function at(ascending: readonly number[], share: number): string {
  return ms(ascending[Math.min(Math.floor(ascending.length * share), ascending.length - 1)] ?? NaN)
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
