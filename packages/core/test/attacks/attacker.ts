/** Attacks a server until it is killed: `attacker.ts <attack> <port> <connections>`. */
import { ATTACKS, MEMORY_ATTACKS, type AttackName } from './attacks.ts'

const [name = '', port, connections] = process.argv.slice(2)
const attack = MEMORY_ATTACKS.get(name) ?? ATTACKS[name as AttackName]

function attackAgain(): void {
  // A connection that is closed at once must not become a loop without a pause.
  attack(Number(port)).once('close', () => setTimeout(attackAgain, 1))
}

// Nobody would end an attack whose report was interrupted, and its port may be somebody else's by then.
process.once('disconnect', () => process.exit())
// Sockets that are not read do not keep a process alive.
setInterval(() => {}, 1000)
for (let i = 0; i < Number(connections); i++) attackAgain()
