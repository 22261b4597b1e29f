// The server for black-box cases: node server.ts <port> <directory> <options as JSON>
import { serveCase } from './serve-case.ts'

const [port = '0', directory = '.', json = '{}'] = process.argv.slice(2)
await serveCase({ port: Number(port), directory, json })
