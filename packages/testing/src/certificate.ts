import { X509Certificate, createHash } from 'node:crypto'

/** Self-signed certificate with its private key. */
export interface TestCertificate {
  /** Private key in PEM. */
  readonly key: string
  /** Certificate in PEM. */
  readonly cert: string
  /** Base64 SHA-256 of the public key, for Chromium's `--ignore-certificate-errors-spki-list`. */
  readonly spkiSha256: string
}

const HOUR_MS = 3_600_000
/**
 * Validity of a certificate. WebTransport's `serverCertificateHashes` rejects one that is valid for more than 14 days.
 */
const VALID_MS = 10 * 24 * HOUR_MS

let certificate: Promise<TestCertificate> | undefined

/**
 * Returns this process's certificate, which the first call generates. It is an ECDSA P-256 certificate for
 * localhost, 127.0.0.1 and ::1, valid for ten days.
 */
export function testCertificate(): Promise<TestCertificate> {
  certificate ??= newTestCertificate()
  return certificate
}

/**
 * Generates a certificate with a new key, for tests that replace certificates.
 *
 * @param names Host names instead of the loopback names; the first one is the common name
 */
export async function newTestCertificate(...names: readonly string[]): Promise<TestCertificate> {
  const { generate } = await import('selfsigned')
  const now = Date.now()
  const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Tolerates clock differences: a browser rejects a certificate that is not valid yet.
    notBeforeDate: new Date(now - HOUR_MS),
    notAfterDate: new Date(now + VALID_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames:
          names.length > 0
            ? names.map((value) => ({ type: 2, value }))
            : [
                { type: 2, value: 'localhost' },
                { type: 7, ip: '127.0.0.1' },
                { type: 7, ip: '::1' },
              ],
      },
    ],
  })
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return { key, cert, spkiSha256: createHash('sha256').update(spki).digest('base64') }
}
