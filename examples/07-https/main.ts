import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Server } from '@fw/core'

const keyFile = join(import.meta.dirname, 'key.pem')
const certFile = join(import.meta.dirname, 'cert.pem')

// Use this certificate only on your machine, because browsers warn about it. A public server needs a certificate for its
// domain.
if (!existsSync(certFile)) {
  const command =
    'req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost ' +
    '-addext subjectAltName=DNS:localhost,IP:127.0.0.1'
  execFileSync('openssl', [...command.split(' '), '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
}

/** Answers HTTP/1.1 and HTTP/2 on the TCP port, and HTTP/3 on the UDP port with the same number. */
export const server = new Server({
  shutdown: 'signals',
  trustProxy: false,
  tls: { keyFile, certFile, watch: true }, // loads a renewed certificate without a restart
  http3: true,
})
const router = server.router()

router.get('/', (ctx) => `hello over ${ctx.protocol}\n`)

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8443) })
