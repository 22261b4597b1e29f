import { join } from 'node:path'
import { server } from './app.ts'

const { HOST = '127.0.0.1', PORT = '8443', LISTEN_FDS, CREDENTIALS_DIRECTORY } = process.env
const certificates = CREDENTIALS_DIRECTORY ?? join(import.meta.dirname, '../certificates')
const tls = { keyFile: join(certificates, 'key.pem'), certFile: join(certificates, 'cert.pem'), watch: true }

// systemd opens the port, and keeps it open while the service is restarting.
const address = LISTEN_FDS === undefined ? { host: HOST, port: Number(PORT) } : { systemd: true as const }
await server.listen({ ...address, tls })
