import * as crypto from 'node:crypto'
import { promisify } from 'node:util'
import { checkOptions, integer, type OptionKinds, showType, withCode } from '@fw/options'
import { PasswordSlots } from './password-slots.ts'

/** OWASP recommends these parameters for Argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** The string format of the Password Hashing Competition, with base64 without padding. */
const FORMAT = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/**
 * A hash that no password matches. It is compared if the user is unknown, so that the time does not reveal which users exist.
 */
const NO_PASSWORD: ParsedHash = {
  ...PARAMETERS,
  salt: Buffer.alloc(SALT_BYTES),
  hash: crypto.randomBytes(HASH_BYTES),
}

/** Options of `hashPassword()` and `verifyPassword()`. */
export interface PasswordOptions {
  /**
   * Maximum number of passwords in the process that are waiting to be hashed. Further calls reject with a 503
   * `HttpError`, because a long queue fills the memory and clients give up before their turn. Default 100, about one
   * second of work.
   */
  readonly maxWaiting?: number
}

const KINDS: OptionKinds<PasswordOptions> = { maxWaiting: integer(0) }
const MAX_WAITING = 100

const slots = new PasswordSlots()

interface ParsedHash {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly hash: Buffer
}

/**
 * Hashes a password with Argon2id and a random salt. Needs about 20 ms and 19 MiB in the Node.js thread pool.
 *
 * @returns A string such as `$argon2id$v=19$m=19456,t=2,p=1$…`, for a column of 100 characters
 * @throws {TypeError} if the password is not a string
 * @throws {HttpError} 503 if too many passwords are waiting
 * @throws {Error} if this Node.js release does not support Argon2: use 24.7 or later
 */
export async function hashPassword(password: string, options: PasswordOptions = {}): Promise<string> {
  checkOptions('hashPassword', options, KINDS)
  const salt = crypto.randomBytes(SALT_BYTES)
  const hash = await derive(password, { ...PARAMETERS, salt, hash: Buffer.alloc(HASH_BYTES) }, options)
  const { memory, passes, parallelism } = PARAMETERS
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
}

/**
 * Reports whether a password matches a hash. Pass `undefined` or `null` as the hash if the user is unknown or has no
 * password. The result is then `false`, after the time that a hash from `hashPassword` would take.
 *
 * @param hash Result of `hashPassword`, or another Argon2id hash in the same format
 * @throws {TypeError} if the password is not a string, or the hash is not in this format
 * @throws {HttpError} 503 if too many passwords are waiting
 * @throws {Error} if this Node.js release does not support Argon2: use 24.7 or later
 */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
  options: PasswordOptions = {},
): Promise<boolean> {
  checkOptions('verifyPassword', options, KINDS)
  const isKnown = hash !== undefined && hash !== null
  const expected = isKnown ? parse(hash) : NO_PASSWORD
  const actual = await derive(password, expected, options)
  return crypto.timingSafeEqual(actual, expected.hash) && isKnown
}

function parse(text: string): ParsedHash {
  const [, memory, passes, parallelism, salt = '', hash = ''] = FORMAT.exec(text) ?? []
  if (memory === undefined) {
    const message = 'verifyPassword: hash must be an Argon2id hash. Pass the result of hashPassword.'
    throw withCode('FW_INVALID_ARGUMENT', new TypeError(message))
  }
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

async function derive(
  password: string,
  parsed: ParsedHash,
  { maxWaiting = MAX_WAITING }: PasswordOptions,
): Promise<Buffer> {
  const { memory, passes, parallelism, salt, hash } = parsed
  if (typeof password !== 'string') {
    const message = `password must be a string, got ${showType(password)}. Read it from a form or a JSON body.`
    throw withCode('FW_INVALID_ARGUMENT', new TypeError(message))
  }
  const { argon2 } = crypto as Partial<typeof crypto>
  if (argon2 === undefined) {
    const message = 'This Node.js release does not support Argon2. Install Node.js 24.7 or later.'
    throw withCode('FW_NODE_VERSION', new Error(message))
  }
  // Argon2 runs in the Node.js thread pool, whose four threads also serve files and DNS.
  using _slot = await slots.take(maxWaiting)
  // Keyboards encode a character such as é in different ways. All encodings must produce the same password.
  const message = password.normalize('NFC')
  return await promisify(argon2)('argon2id', {
    message,
    nonce: salt,
    parallelism,
    memory,
    passes,
    tagLength: hash.length,
  })
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
