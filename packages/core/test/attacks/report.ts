/** Writes how every attack is stood, as a table: `report.ts [connections] [seconds] [settle seconds]`. */
import { ATTACKS, type AttackName } from './attacks.ts'
import { underAttack } from './under-attack.ts'

const [connections = '1000', seconds = '15', settle = '5'] = process.argv.slice(2)
console.log('| attack | memory grows by | p50 of others | p99 of others | not answered |\n|---|---|---|---|---|')
for (const name of Object.keys(ATTACKS) as AttackName[]) {
  const { grownBytes, latenciesMs, failures } = await underAttack(
    name,
    Number(connections),
    Number(seconds),
    Number(settle),
  )
  const at = (share: number): string => `${latenciesMs[Math.floor(latenciesMs.length * share)]?.toFixed(1)} ms`
  console.log(`| ${name} | ${Math.round(grownBytes / 2 ** 20)} MiB | ${at(0.5)} | ${at(0.99)} | ${failures} |`)
}
