import {
  checkOptions,
  either,
  flag,
  instanceOf,
  integer,
  object,
  optionError,
  type OptionKind,
  type OptionKinds,
  options,
  secret,
  showType,
  text,
  withFix,
} from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/** A certificate chain and its private key in PEM, as text or as file paths. */
export type TlsCertificate =
  | {
      /** Private key in PEM. Replaces `keyFile`. */
      readonly key: string | Buffer
      /** Certificate with its chain in PEM. Replaces `certFile`. */
      readonly cert: string | Buffer
    }
  | {
      /** File with the private key in PEM: a path or a file URL. */
      readonly keyFile: string | URL
      /** File with the certificate and its chain in PEM: a path or a file URL. */
      readonly certFile: string | URL
      /** Reloads the files when they change. Default false. */
      readonly watch?: boolean
      /** Sets the interval between checks for changed files, in milliseconds. Default 2,000. */
      readonly watchIntervalMs?: number
    }

/**
 * One certificate, or several, which are selected by the name that the client requests (SNI). The first one serves all
 * other names.
 */
export type TlsCertificates = TlsCertificate | readonly TlsCertificate[]

/** Certificates, or a function that returns them. The server calls it at the start and on each `server.reloadTls()`. */
export type TlsOptions = TlsCertificates | (() => TlsCertificates | Promise<TlsCertificates>)

const FORMS = 'Write { keyFile, certFile }, or { key, cert } in PEM.'

/**
 * Kind of the `tls` option of `Server` and `listen`. `checkCertificates` checks its contents.
 *
 * Errors show only the type of a value, because text can be a private key.
 */
export const TLS: OptionKind = secret(
  withFix(
    {
      expected: 'false, a certificate, a list of certificates or a function that returns them',
      accepts: (value) =>
        value === false || typeof value === 'function' || (typeof value === 'object' && value !== null),
    },
    FORMS,
  ),
)

type PemOptions = Extract<TlsCertificate, { readonly key: unknown }>
type FileOptions = Extract<TlsCertificate, { readonly keyFile: unknown }>

const PEM = secret({ ...either(text, instanceOf('Buffer', Buffer)), fix: 'Pass it in PEM.' })
const FILE = { ...either(text, instanceOf('URL', URL)), expected: 'a path or a file URL' }
const PEM_KINDS: OptionKinds<PemOptions> = { key: PEM, cert: PEM }
const FILE_KINDS: OptionKinds<FileOptions & Partial<PemOptions>> = {
  keyFile: FILE,
  certFile: FILE,
  watch: flag,
  watchIntervalMs: integer(1, MAX_TIMER_MS),
  ...PEM_KINDS,
}

/**
 * Checks the contents of the option `tls`, or the result of its function.
 *
 * @returns All certificates as a list
 * @throws {TypeError} if a certificate is not an object, or if an option is unknown or has the wrong type
 * @throws {RangeError} if `watchIntervalMs` is out of range
 */
export function checkCertificates(given: unknown): readonly TlsCertificate[] {
  if (!Array.isArray(given)) return [checkCertificate('tls', given)]
  return given.map((each: unknown, at) => checkCertificate(`tls[${at}]`, each))
}

function checkCertificate(name: string, given: unknown): TlsCertificate {
  if (!object.accepts(given)) {
    throw optionError({ api: 'listen', name, expected: 'a certificate', got: showType(given), fix: FORMS })
  }
  const certificate = given as TlsCertificate
  const kind = 'key' in certificate ? options<PemOptions>(PEM_KINDS) : options<FileOptions>(FILE_KINDS)
  checkOptions('listen', { [name]: certificate }, { [name]: kind })
  return certificate
}
