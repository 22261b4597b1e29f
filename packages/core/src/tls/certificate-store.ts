import type { Logger } from '@fw/log'
import { CertificateSet } from './certificate-set.ts'
import { FileWatch } from './file-watch.ts'
import { loadCredentials } from './credentials.ts'
import { checkCertificates, type TlsCertificate, type TlsOptions } from '../options/tls-options.ts'

/** A component whose certificates can be replaced while it is running. */
export interface CertificateUser {
  /**
   * Checks certificates before they are used.
   *
   * @throws {StartupError} if the component cannot use the certificates
   */
  checkCertificates(next: CertificateSet): void
  /**
   * Uses these certificates for new connections. Open connections continue unchanged. Never throws for certificates
   * that were checked.
   */
  useCertificates(next: CertificateSet): void
}

/**
 * Default interval between two checks of watched files. After a manual renewal, the new certificate is therefore in
 * use almost immediately.
 */
const WATCH_INTERVAL_MS = 2_000

/** Loads the certificates that an option describes, and keeps them up to date. */
export class CertificateStore {
  readonly #options: TlsOptions
  readonly #logger: Logger
  readonly #users = new Set<CertificateUser>()
  readonly #watch: FileWatch
  #current: CertificateSet
  #reloading: Promise<void> = Promise.resolve()

  private constructor(options: TlsOptions, logger: Logger, watch: FileWatch, first: CertificateSet) {
    this.#options = options
    this.#logger = logger
    this.#watch = watch
    this.#current = first
    // Ignore the rejection: `reload` logs it.
    watch.onChange = () => void this.reload().catch(() => {})
  }

  /**
   * Loads the certificates.
   *
   * @throws {StartupError} if a certificate cannot be used, with its name and the cause
   */
  static async open(options: TlsOptions, logger: Logger): Promise<CertificateStore> {
    const watch = new FileWatch()
    try {
      const store = new CertificateStore(options, logger, watch, await load(options, watch))
      store.#warnOfExpired()
      return store
    } catch (error) {
      watch.close()
      throw error
    }
  }

  get current(): CertificateSet {
    return this.#current
  }

  /**
   * Registers a user of the certificates for later changes.
   *
   * @param present Certificates that it uses now. If they have been replaced in the meantime, it receives the new ones
   * immediately
   * @returns A function that removes the user
   */
  attach(user: CertificateUser, present: CertificateSet): () => void {
    this.#users.add(user)
    if (present !== this.#current) user.useCertificates(this.#current)
    return () => void this.#users.delete(user)
  }

  /**
   * Reloads all certificates. New connections use the new ones; open connections continue unchanged. If one cannot be
   * used, none of them change, and an Error record states the cause.
   *
   * @throws {StartupError} if a certificate cannot be used, with its name and the cause
   */
  reload(): Promise<void> {
    // Reload serially, so that the last request determines the result.
    const reloaded = this.#reloading.then(() => this.#reload())
    this.#reloading = reloaded.catch(() => {})
    return reloaded
  }

  close(): void {
    this.#watch.close()
  }

  async #reload(): Promise<void> {
    try {
      const next = await load(this.#options, this.#watch)
      if (next.equals(this.#current)) return
      for (const user of this.#users) user.checkCertificates(next)
      for (const user of this.#users) user.useCertificates(next)
      this.#current = next
    } catch (error) {
      this.#logger.error('Keeping the previous certificates: {}', error instanceof Error ? error.message : error)
      throw error
    }
    for (const { source, x509 } of this.#current.all) {
      this.#logger.info('New certificate from {}: valid until {}', source, x509.validTo)
    }
    this.#warnOfExpired()
  }

  #warnOfExpired(): void {
    for (const { source, x509 } of this.#current.all) {
      if (x509.validToDate.getTime() < Date.now()) {
        this.#logger.warn('The certificate from {} expired on {}', source, x509.validTo)
      }
    }
  }
}

async function load(options: TlsOptions, watch: FileWatch): Promise<CertificateSet> {
  const certificates = checkCertificates(typeof options === 'function' ? await options() : options)
  // Start watching before reading, so that no change is missed.
  await watchFiles(certificates, watch)
  return new CertificateSet(await Promise.all(certificates.map(loadCredentials)))
}

function watchFiles(certificates: readonly TlsCertificate[], watch: FileWatch): Promise<void> {
  const files: (string | URL)[] = []
  let intervalMs = Infinity
  for (const each of certificates) {
    if (!('keyFile' in each) || !(each.watch ?? false)) continue
    files.push(each.keyFile, each.certFile)
    intervalMs = Math.min(intervalMs, each.watchIntervalMs ?? WATCH_INTERVAL_MS)
  }
  return watch.watch(files, intervalMs)
}
