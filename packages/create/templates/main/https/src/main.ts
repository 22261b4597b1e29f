import { server } from './app.ts'

const { HOST = '127.0.0.1', PORT = '8443' } = process.env
const certificates = new URL('../certificates/', import.meta.url)
const tls = { keyFile: new URL('key.pem', certificates), certFile: new URL('cert.pem', certificates), watch: true }

await server.listen({ host: HOST, port: Number(PORT), tls })
