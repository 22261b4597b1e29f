import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** The content of a sealed session. */
export interface SealedContent {
  readonly createdAtMs: number
  /** The time of the last recorded use. */
  readonly usedAtMs: number
  /** The data. */
  readonly json: string
}

const KEY_BYTES = 32
/** Length of the key ID, which selects the key of a value among several secrets. It reveals nothing about the key. */
const KEY_ID_BYTES = 4
/** Random bytes from which the key of one value is derived. */
const SALT_BYTES = 12
/** NIST SP 800-38D §5.2.1.1: the recommended size of the nonce, and the size of the full tag. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Milliseconds since 1970 in 48 bits, as in a UUIDv7. */
const TIME_BYTES = 6
const OVERHEAD_BYTES = KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES + 2 * TIME_BYTES + TAG_BYTES

/**
 * Distinguishes these keys from other keys that an application derives from the same secret. Also identifies the format of the
 * value.
 */
const PURPOSE = '@fw/session: sealed session, format 1'

interface SealingKey {
  readonly id: Buffer
  readonly key: KeyObject
}

/**
 * Encrypts and authenticates sessions with AES-256-GCM. A value consists of the key ID, a random salt and nonce, the encrypted
 * times and data, and the tag, in base64url.
 *
 * NIST SP 800-38D §8.3 allows 2^32 random nonces for one key. Each value has its own key, so a secret has no such limit.
 */
export class Sealer {
  readonly #keys: ReadonlyMap<number, SealingKey>
  readonly #current: SealingKey

  /**
   * @param secrets The first secret seals, and all secrets open. Must not be empty
   */
  constructor(secrets: readonly (string | Uint8Array)[]) {
    const keys = secrets.map(deriveKey)
    this.#current = keys[0] as SealingKey
    // If two keys have the same ID, keep the first. This happens for one in four billion pairs.
    this.#keys = new Map(keys.toReversed().map((each) => [each.id.readUInt32BE(), each]))
  }

  /** Seals a session under the name of its cookie, so that the value is not valid in another cookie. */
  seal(cookieName: string, { createdAtMs, usedAtMs, json }: SealedContent): string {
    const { id, key } = this.#current
    const random = randomBytes(SALT_BYTES + NONCE_BYTES)
    const times = Buffer.alloc(2 * TIME_BYTES)
    times.writeUIntBE(createdAtMs, 0, TIME_BYTES)
    times.writeUIntBE(usedAtMs, TIME_BYTES, TIME_BYTES)
    const cipher = createCipheriv('aes-256-gcm', keyOfValue(key, random), random.subarray(SALT_BYTES), {
      authTagLength: TAG_BYTES,
    }).setAAD(Buffer.from(cookieName))
    const sealed = [id, random, cipher.update(times), cipher.update(json, 'utf8'), cipher.final()]
    return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')
  }

  /** Returns the content of a value; `null` unless it was sealed with one of the secrets under this name and is unchanged. */
  open(cookieName: string, value: string): SealedContent | null {
    const bytes = Buffer.from(value, 'base64url')
    // The decoder ignores invalid characters and the unused bits of the last one, but a session must have only one valid form.
    if (bytes.length < OVERHEAD_BYTES || bytes.toString('base64url') !== value) return null
    const key = this.#keys.get(bytes.readUInt32BE())?.key
    if (key === undefined) return null
    const plain = decrypt(key, cookieName, bytes)
    if (plain === null) return null
    return {
      createdAtMs: plain.readUIntBE(0, TIME_BYTES),
      usedAtMs: plain.readUIntBE(TIME_BYTES, TIME_BYTES),
      json: plain.toString('utf8', 2 * TIME_BYTES),
    }
  }
}

/** Returns the length of a sealed value whose data has `jsonBytes` bytes. */
export function sealedLength(jsonBytes: number): number {
  return Math.ceil(((OVERHEAD_BYTES + jsonBytes) * 4) / 3)
}

function deriveKey(secret: string | Uint8Array): SealingKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES + KEY_ID_BYTES))
  return { key: createSecretKey(bytes.subarray(0, KEY_BYTES)), id: bytes.subarray(KEY_BYTES) }
}

/** @param random The random bytes of the value, which begin with the salt */
function keyOfValue(key: KeyObject, random: Buffer): Buffer {
  return createHmac('sha256', key).update(random.subarray(0, SALT_BYTES)).digest()
}

function decrypt(key: KeyObject, cookieName: string, bytes: Buffer): Buffer | null {
  const end = KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES
  const random = bytes.subarray(KEY_ID_BYTES, end)
  const decipher = createDecipheriv('aes-256-gcm', keyOfValue(key, random), random.subarray(SALT_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(cookieName)).setAuthTag(bytes.subarray(-TAG_BYTES))
  const plain = decipher.update(bytes.subarray(end, -TAG_BYTES))
  try {
    decipher.final()
  } catch {
    // The tag does not match. Any client can send such a value, so this is not an error.
    return null
  }
  return plain
}
