import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** The files of a certificate and its private key, in PEM. */
export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

const DAY_MS = 86_400_000
/** The maximum validity that browsers accept. */
const VALID_DAYS = 397

/** Returns the self-signed certificate in `folder`. Creates it there if it is missing or has expired. */
export async function keptCertificate(folder: string): Promise<CertificateFiles> {
  const files = { certFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'private-key.pem') }
  if (await isValid(files.certFile)) return files
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    // The QUIC binding cannot use Ed25519.
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(Date.now() - DAY_MS),
    notAfterDate: new Date(Date.now() + VALID_DAYS * DAY_MS),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  await mkdir(folder, { recursive: true })
  await writeFile(files.keyFile, key, { mode: 0o600 })
  await writeFile(files.certFile, cert)
  return files
}

async function isValid(certFile: string): Promise<boolean> {
  try {
    return new X509Certificate(await readFile(certFile)).validToDate.getTime() > Date.now() + DAY_MS
  } catch {
    // The file is missing or invalid, so a new certificate is generated.
    return false
  }
}
