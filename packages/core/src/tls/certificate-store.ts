import type { Logger } from '@fw/log'
import { CertificateSet } from './certificate-set.ts'
import { FileWatch } from './file-watch.ts'
import { loadCredentials } from './credentials.ts'
import { checkCertificates, type TlsCertificate, type TlsOptions } from '../options/tls-options.ts'

/** Serves with certificates, which may be replaced while it does. */
export interface CertificateUser {
  /** @throws {StartupError} if it could not use these */
  checkCertificates(next: CertificateSet): void
  /** Uses these for new connections; those that stand go on. Never throws for what it has checked. */
  useCertificates(next: CertificateSet): void
}

/** How often watched files are looked at: soon enough for whoever waits for it, and hardly any work. */
const WATCH_INTERVAL_MS = 2_000

/** The certificates that an option names, kept up to date. */
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
    // What comes of it is told in the log.
    watch.onChange = () => void this.reload().catch(() => {})
  }

  /** @throws {StartupError} saying which certificate cannot be used, and why */
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
   * Gives a user the certificates that come.
   *
   * @param present Those it uses, which may have been replaced meanwhile
   * @returns Ends that
   */
  attach(user: CertificateUser, present: CertificateSet): () => void {
    this.#users.add(user)
    if (present !== this.#current) user.useCertificates(this.#current)
    return () => void this.#users.delete(user)
  }

  /**
   * Loads everything again. New connections have the new certificates; those that stand go on. If anything is wrong, all
   * stays as it was, and an Error record says what it is.
   *
   * @throws {StartupError} saying which certificate cannot be used, and why
   */
  reload(): Promise<void> {
    // One after the other, so that the last one asked for is the last one loaded.
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
      this.#logger.error('Certificates stay as they are: {}', error instanceof Error ? error.message : error)
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
        this.#logger.warn('The certificate from {} is no longer valid, since {}', source, x509.validTo)
      }
    }
  }
}

async function load(options: TlsOptions, watch: FileWatch): Promise<CertificateSet> {
  const certificates = checkCertificates(typeof options === 'function' ? await options() : options)
  // Before they are read, so that no change is missed.
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
