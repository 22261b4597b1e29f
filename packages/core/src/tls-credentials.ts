import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { checkOptions } from './known-options.ts'
import { StartupError } from './startup-error.ts'

/** A certificate and its private key, in PEM, as text or as files. */
export type TlsOptions =
  | { readonly key: string | Buffer; readonly cert: string | Buffer }
  | { readonly keyFile: string | URL; readonly certFile: string | URL }

/** Certificate (with its chain) and private key in PEM. */
export interface TlsCredentials {
  readonly key: string
  readonly cert: string
}

/**
 * Reads and checks what `tls` names.
 *
 * @throws {StartupError} if a file cannot be read, holds no PEM, or the key is not that of the certificate
 */
export async function loadCredentials(options: TlsOptions): Promise<TlsCredentials> {
  if ('keyFile' in options) {
    checkOptions('tls', options, ['keyFile', 'certFile'])
    const [key, cert] = await Promise.all([
      readPem(options.keyFile, 'private key', 'tls.keyFile'),
      readPem(options.certFile, 'certificate', 'tls.certFile'),
    ])
    return checked({ key, cert }, `${String(options.certFile)} and ${String(options.keyFile)}`)
  }
  checkOptions('tls', options, ['key', 'cert'])
  return checked({ key: String(options.key), cert: String(options.cert) }, 'tls.cert and tls.key')
}

async function readPem(file: string | URL, what: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw new StartupError(`Cannot read the TLS ${what} ${String(file)}: ${reason}. Check ${option}`, { cause: error })
  }
}

function checked(credentials: TlsCredentials, where: string): TlsCredentials {
  try {
    createSecureContext(credentials)
  } catch (error) {
    const { message } = error as Error
    const reason = /key values mismatch/i.test(message)
      ? 'the private key is not that of the certificate'
      : `they are not a certificate and a private key in PEM (${message})`
    throw new StartupError(`Cannot use ${where}: ${reason}`, { cause: error })
  }
  return credentials
}
