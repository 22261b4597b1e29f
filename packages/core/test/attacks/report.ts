/**
 * Writes how every attack is stood, as a table, beside what a server stands that does nothing:
 * `report.ts [connections] [seconds] [settle seconds] [part of an attack's name] [rounds]`.
 */
import { ATTACKS, type AttackName } from './attacks.ts'
import { underAttack, type Endurance, type TargetName } from './under-attack.ts'

const [connections = '1000', seconds = '15', settle = '5', part = '', rounds = '1'] = process.argv.slice(2)
console.log(
  '| attack | server | memory grows by | p50 of others | p99 | kept connections, p99 | new connections, p90 | turn of the event loop, p99 and longest (processor time) | not answered | processors taken by others |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|')
for (const name of Object.keys(ATTACKS) as AttackName[]) {
  if (!name.includes(part)) continue
  // In turns, as a machine that others use is not the same from minute to minute.
  for (let round = 0; round < Number(rounds); round++) {
    await report(name, 'target.ts')
    await report(name, 'bare-target.ts')
  }
}

async function report(name: AttackName, target: TargetName): Promise<void> {
  const endurance = await underAttack(name, Number(connections), Number(seconds), Number(settle), target)
  console.log(`| ${name} | ${target === 'target.ts' ? 'fw' : 'bare'} | ${columns(endurance).join(' | ')} |`)
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
