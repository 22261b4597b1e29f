import { createHash, timingSafeEqual } from 'node:crypto'
import { optionError } from '@fw/options'
import type { Principal } from './principal.ts'

/** Shorter secrets could be guessed. In base64url, 16 random bytes take 22 characters. */
const MIN_LENGTH = 16

/**
 * Creates a `verify` function for `bearer` and `apiKey` that accepts a few fixed secrets, such as the secrets of other
 * services. The comparison time does not depend on the secrets.
 *
 * @param secrets The secret of each client, by client ID
 * @throws {TypeError} if a secret has fewer than 16 characters, as with an unset variable, or if two clients have the same
 * secret
 *
 * @example
 * bearer({ verify: knownSecrets({ deploy: process.env.DEPLOY_TOKEN ?? '' }) })
 */
export function knownSecrets(secrets: Readonly<Record<string, string>>): (secret: string) => Principal | null {
  const known = Object.entries(secrets).map(([id, secret]) => {
    if (typeof secret === 'string' && secret.length >= MIN_LENGTH)
      return { principal: { id }, digest: digestOf(secret) }
    const expected = `a secret of at least ${MIN_LENGTH} characters`
    const got = typeof secret === 'string' ? `${secret.length} characters` : typeof secret
    const fix = "Generate one: crypto.randomBytes(32).toString('base64url')."
    throw optionError({ api: 'knownSecrets', name: id, expected, got, fix })
  })
  const digests = new Set(known.map(({ digest }) => digest.toString('hex')))
  if (digests.size < known.length) {
    const fix = 'Give each client its own secret.'
    throw optionError({ api: 'knownSecrets', name: 'secrets', expected: 'different', got: 'one secret twice', fix })
  }
  return (given) => {
    const digest = digestOf(given)
    let found: Principal | null = null
    // Compare with all secrets, so that the time does not reveal which one matches.
    for (const { principal, digest: other } of known) if (timingSafeEqual(digest, other)) found = principal
    return found
  }
}

/**
 * Hashes a secret, because `timingSafeEqual` requires equal lengths. A digest does not reveal the length of the
 * secret.
 */
function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
