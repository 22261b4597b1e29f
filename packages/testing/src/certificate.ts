import { X509Certificate, createHash } from 'node:crypto'

/** A self-signed certificate for 127.0.0.1, ::1 and localhost. */
export interface TestCertificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
  /** Base64 SHA-256 of the public key, as Chromium's `--ignore-certificate-errors-spki-list` takes it. */
  readonly spkiSha256: string
}

const HOUR_MS = 3_600_000
/** WebTransport's `serverCertificateHashes` refuses a certificate that is valid for more than 14 days. */
const VALID_MS = 10 * 24 * HOUR_MS

let certificate: Promise<TestCertificate> | undefined

/** The certificate of this process's tests, made when first asked for: ECDSA P-256, valid for ten days. */
export function testCertificate(): Promise<TestCertificate> {
  certificate ??= newTestCertificate()
  return certificate
}

/**
 * A certificate of the same kind with a key of its own, for tests that change certificates.
 *
 * @param names Host names it is for, instead of localhost; the first is its common name
 */
export async function newTestCertificate(...names: readonly string[]): Promise<TestCertificate> {
  const { generate } = await import('selfsigned')
  const now = Date.now()
  const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Clocks differ; a browser takes a certificate from the future for an attack.
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
