import { createServer } from 'node:http'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { portOf, ready } from '../../server-program.ts'
import { JSON_BODY, LEVELS } from '../json-body.ts'

const ENCODE: Readonly<Record<string, () => Buffer>> = {
  gzip: () => gzipSync(JSON_BODY, { level: LEVELS.gzip }),
  br: () => brotliCompressSync(JSON_BODY, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br } }),
  zstd: () => zstdCompressSync(JSON_BODY, { params: { [constants.ZSTD_c_compressionLevel]: LEVELS.zstd } }),
}

const server = createServer(({ headers }, response) => {
  const coding = headers['accept-encoding'] ?? ''
  const body = ENCODE[coding]?.() ?? Buffer.from(JSON_BODY)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': coding,
    'content-length': body.byteLength,
    vary: 'accept-encoding',
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => ready(portOf(server)))
