/** The one page that is shown to somebody without a token. No script, nothing from elsewhere; `problem` is ours. */
export function renderEnterPage(problem: string | null, form: boolean): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Counterfoil</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 15vh auto 0; padding: 0 1.25rem; }
  h1 { font-size: 1.25rem; }
  label { display: block; margin-bottom: .25rem; }
  input, button { font: inherit; padding: .5rem .75rem; border: 1px solid GrayText; border-radius: .375rem; }
  input { width: 100%; box-sizing: border-box; margin-bottom: .75rem; }
  [role=alert] { border-left: 3px solid #c0392b; padding-left: .75rem; }
</style>
<main>
<h1>Counterfoil</h1>
${problem ? `<p role="alert">${problem}</p>` : ""}
${form ? FORM : ""}
</main>
</html>
`;
}

const FORM = `<p>The console opens with the link that was printed when Counterfoil started. Or paste its token here; it is
also in the file <code>console-token</code> of the data directory.</p>
<form method="post" action="/enter">
  <label for="token">Token</label>
  <input id="token" name="token" type="password" autocomplete="off" required autofocus>
  <button>Open the console</button>
</form>`;
