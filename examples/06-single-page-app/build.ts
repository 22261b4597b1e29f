import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, zstdCompress } from 'node:zlib'
import { build } from 'vite'

const outDir = join(import.meta.dirname, 'dist')
await build({ root: join(import.meta.dirname, 'web'), build: { outDir, emptyOutDir: true }, logLevel: 'warn' })

// Sidecars: the server sends them instead of the file to clients that accept the content coding.
for (const name of await readdir(outDir, { recursive: true })) {
  if (!/\.(?:css|html|js|svg)$/.test(name)) continue
  const content = await readFile(join(outDir, name))
  await writeFile(join(outDir, `${name}.br`), await promisify(brotliCompress)(content))
  await writeFile(join(outDir, `${name}.zst`), await promisify(zstdCompress)(content))
}
