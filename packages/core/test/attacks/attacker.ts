/** Attacks a server until the process is killed: `attacker.ts <attack> <port> <connections>`. */
import { ATTACKS, MEMORY_ATTACKS, type AttackName } from './attacks.ts'

const [name = '', port, connections] = process.argv.slice(2)
const attack = MEMORY_ATTACKS.get(name) ?? ATTACKS[name as AttackName]

function attackAgain(): void {
  // Wait, so that an immediately closed connection does not cause a busy loop.
  attack(Number(port)).once('close', () => setTimeout(attackAgain, 1))
}

// End with the parent. An orphaned attack would continue, perhaps against another server on the same port.
process.once('disconnect', () => process.exit())
// Keeps the process alive, which sockets without reads do not.
setInterval(() => {}, 1000)
for (let i = 0; i < Number(connections); i++) attackAgain()
