import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, zstdCompressSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const OUT_DIR = fileURLToPath(new URL('dist/page', import.meta.url))
const COMPRESSED = new Set(['.html', '.js', '.css', '.svg'])

/** Writes compressed copies, which `@fw/static` sends to browsers that accept them. */
const sidecars: Plugin = {
  name: 'sidecars',
  async closeBundle() {
    for (const name of await readdir(OUT_DIR)) {
      if (!COMPRESSED.has(extname(name))) continue
      const bytes = await readFile(join(OUT_DIR, name))
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      await writeFile(join(OUT_DIR, `${name}.br`), brotliCompressSync(bytes, { params: quality }))
      await writeFile(
        join(OUT_DIR, `${name}.zst`),
        zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
      )
    }
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('page', import.meta.url)),
  publicDir: fileURLToPath(new URL('public', import.meta.url)),
  plugins: [sidecars],
  build: {
    outDir: OUT_DIR,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    assetsInlineLimit: 0,
    // Use plain names, because the page draws the requests for its own files, and visitors should recognize them.
    rolldownOptions: { output: { entryFileNames: 'live.js', assetFileNames: 'live[extname]' } },
  },
})
