import { hash, randomBytes } from 'node:crypto'

const ID_BYTES = 32
/** The base64url form of an ID. */
const ID = /^[\w-]{43}$/

/** Returns a new session ID of 32 random bytes in base64url, with its key in a store. */
export function newSessionId(): { id: string; key: string } {
  const id = randomBytes(ID_BYTES).toString('base64url')
  return { id, key: hash('sha256', id, 'base64url') }
}

/** Returns the key of a session ID in a store; `undefined` if the value is not an ID. */
export function storeKeyOf(id: string): string | undefined {
  return ID.test(id) ? hash('sha256', id, 'base64url') : undefined
}
