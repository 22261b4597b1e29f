import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** Paths of the PEM files. */
export interface Certificate {
  readonly keyFile: string
  readonly certFile: string
}

/** Creates a certificate for 127.0.0.1 that is valid for one day. Every peer supports ECDSA P-256. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 86_400_000),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  const files = { keyFile: join(folder, 'key.pem'), certFile: join(folder, 'cert.pem') }
  await writeFile(files.keyFile, made.private)
  await writeFile(files.certFile, made.cert)
  return files
}
