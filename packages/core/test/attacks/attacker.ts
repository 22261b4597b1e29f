/**
 * Attacks a server until the process is killed: `attacker.ts <attack> <port> <connections>`. Sends a message to the parent when
 * the connections are open.
 */
import type { Socket } from 'node:net'
import { ATTACKS, MEMORY_ATTACKS, type AttackName } from './attacks.ts'

const [name = '', port, connections] = process.argv.slice(2)
const attack = MEMORY_ATTACKS.get(name) ?? ATTACKS[name as AttackName]

function attackAgain(): Socket {
  // Wait, so that an immediately closed connection does not cause a busy loop.
  return attack(Number(port)).once('close', () => setTimeout(attackAgain, 1))
}

// Exit with the parent. An orphaned attack would continue, perhaps against another server on the same port.
process.once('disconnect', () => process.exit())
// Keeps the process alive, because sockets that are not read do not.
setInterval(() => {}, 1000)
let connecting = Number(connections)
for (let i = 0; i < Number(connections); i++) {
  const first = attackAgain()
  first.once('connect', () => --connecting === 0 && process.send?.('attacking'))
}
