import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { withCode } from '@fw/options'
import { StartupError } from '../options/startup-error.ts'
import type { TlsCertificate } from '../options/tls-options.ts'

/** A certificate with its matching private key. */
export interface TlsCredentials {
  /** Private key in PEM. */
  readonly key: string
  /** Certificate chain in PEM. */
  readonly cert: string
  readonly x509: X509Certificate
  /** Name of the source in messages. */
  readonly source: string
}

/** Name of the source in messages if the PEM text was passed directly. */
const GIVEN = 'tls.cert and tls.key'

/**
 * Reads and checks a certificate.
 *
 * @throws {StartupError} if a file is unreadable or not PEM, or if the key does not match the certificate
 */
export async function loadCredentials(given: TlsCertificate): Promise<TlsCredentials> {
  if ('key' in given) return checked(pemOf(given.key, 'key'), pemOf(given.cert, 'cert'), GIVEN)
  // Read the files one after the other, so that the error names the same file on every run.
  const key = await readPem(given.keyFile, 'private key', 'keyFile')
  const cert = await readPem(given.certFile, 'certificate', 'certFile')
  return checked(key, cert, `${String(given.certFile)} and ${String(given.keyFile)}`)
}

function pemOf(given: string | Buffer | undefined, option: string): string {
  if (typeof given === 'string' || Buffer.isBuffer(given)) return String(given)
  throw missing(option)
}

function missing(option: string): StartupError {
  return withCode(
    'FW_INVALID_CERTIFICATE',
    new StartupError(`Cannot use tls: ${option} is missing. Set key and cert, or keyFile and certFile`),
  )
}

async function readPem(file: string | URL | undefined, what: string, option: string): Promise<string> {
  if (file === undefined) throw missing(option)
  // An error from `readFile` would include the PEM text, which can be the private key.
  if (String(file).includes('-----BEGIN')) {
    throw withCode(
      'FW_INVALID_CERTIFICATE',
      new StartupError(`Cannot use tls: ${option} must be the path of a file, got PEM text. Set key and cert instead`),
    )
  }
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'the file does not exist' : (error as Error).message
    throw withCode(
      'FW_INVALID_CERTIFICATE',
      new StartupError(`Cannot read the TLS ${what} ${String(file)}: ${reason}. Check tls.${option}`, {
        cause: error,
      }),
    )
  }
}

function checked(key: string, cert: string, source: string): TlsCredentials {
  try {
    const x509 = new X509Certificate(cert)
    // `createSecureContext` does not detect that a key and a certificate have different types.
    if (!x509.checkPrivateKey(createPrivateKey(key))) throw withCode('FW_INVALID_CERTIFICATE', new TypeError(MISMATCH))
    createSecureContext({ key, cert })
    return { key, cert, x509, source }
  } catch (error) {
    if (source === GIVEN && !cert.includes('-----BEGIN')) {
      throw withCode(
        'FW_INVALID_CERTIFICATE',
        new StartupError(
          `Cannot use ${GIVEN}: they are not a certificate and a private key in PEM. For file paths, use certFile and keyFile`,
        ),
      )
    }
    throw withCode(
      'FW_INVALID_CERTIFICATE',
      new StartupError(`Cannot use ${source}: ${reasonOf(error, key)}`, { cause: error }),
    )
  }
}

const MISMATCH = 'the private key does not belong to the certificate'

function reasonOf(error: unknown, key: string): string {
  const { message } = error as Error
  if (message === MISMATCH) return MISMATCH
  if (key.includes('ENCRYPTED')) {
    return 'the private key is encrypted. Decrypt it: openssl pkey -in key.pem -out clear.pem'
  }
  return `they are not a certificate and a private key in PEM (${message})`
}
