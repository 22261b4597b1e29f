import { optionError } from '@fw/options'
import type { TlsCredentials } from './credentials.ts'

/** Certificates of a listener, selected by name. */
export class CertificateSet {
  /** Certificate for clients that request no name, or a name that no certificate matches. */
  readonly first: TlsCredentials
  readonly all: readonly TlsCredentials[]

  /** @throws {TypeError} if the list is empty */
  constructor(all: readonly TlsCredentials[]) {
    const [first] = all
    if (first === undefined) {
      const fix = 'Add { keyFile, certFile }, or omit it to serve without TLS.'
      throw optionError({ api: 'listen', name: 'tls', expected: 'at least one certificate', got: 'an empty list', fix })
    }
    this.first = first
    this.all = all
  }

  /**
   * Chooses the certificate for a name: an exact match, otherwise a wildcard match, otherwise the first one.
   *
   * @see RFC 6066 §3, RFC 9525 §6.3
   */
  choose(serverName: string): TlsCredentials {
    let byWildcard: TlsCredentials | undefined
    for (const credentials of this.all) {
      const match = credentials.x509.checkHost(serverName, { partialWildcards: false })
      if (match === undefined) continue
      if (!match.startsWith('*')) return credentials
      byWildcard ??= credentials
    }
    return byWildcard ?? this.first
  }

  equals(other: CertificateSet): boolean {
    return (
      this.all.length === other.all.length &&
      this.all.every(({ key, cert }, index) => key === other.all[index]?.key && cert === other.all[index].cert)
    )
  }
}
