import { server } from './app.ts'

const { HOST = '127.0.0.1', PORT = '8080', LISTEN_FDS } = process.env

// systemd opens the port, and keeps it open while the service is restarting.
await server.listen(LISTEN_FDS === undefined ? { host: HOST, port: Number(PORT) } : { systemd: true })
