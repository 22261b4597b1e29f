import { server } from './app.ts'

const { HOST = '127.0.0.1', PORT = '8080' } = process.env

await server.listen({ host: HOST, port: Number(PORT) })
