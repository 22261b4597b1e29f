import { hash, randomBytes } from 'node:crypto'

const ID_BYTES = 32
/** The base64url form of an id. */
const ID = /^[\w-]{43}$/

/** Returns a new session id of 32 random bytes in base64url, and its key in a store. */
export function newSessionId(): { id: string; key: string } {
  const id = randomBytes(ID_BYTES).toString('base64url')
  return { id, key: hash('sha256', id, 'base64url') }
}

/** Returns the key of a session id in a store; `undefined` for a value that is not an id. */
export function storeKeyOf(id: string): string | undefined {
  return ID.test(id) ? hash('sha256', id, 'base64url') : undefined
}
