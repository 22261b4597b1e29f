/*
 * `node --import @fw/log/register-location app.ts` adds the source location to each log call when Node.js loads a module. The
 * location of a record then costs almost nothing. The output is the same with and without this module.
 */
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import '@fw/options' // checks the Node.js version
import { markCallSites } from './call-sites/mark-call-sites.ts'

// On an old Node.js version, a named import would fail before the version check.
const { registerHooks, stripTypeScriptTypes } = nodeModule

registerHooks({
  load(url, context, nextLoad) {
    const result = nextLoad(url, context)
    const { format, source } = result
    if (!url.startsWith('file:') || (format !== 'module' && format !== 'module-typescript') || !source) return result
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()
    if (!text.includes('@fw/log')) return result
    // The position in the original source is known only at run time.
    if (process.sourceMapsEnabled && text.includes('sourceMappingURL=')) return result
    const marked = markCallSites(format === 'module' ? text : strippedOfTypes(text), fileURLToPath(url))
    return marked === undefined ? result : { ...result, format: 'module', source: marked }
  },
})

/** Strips the types as Node.js does for a module, but without a warning. */
function strippedOfTypes(text: string): string {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } catch {
    // Node.js reports the syntax error.
    return ''
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning)
  }
}
