/* A chosen folder: its files' paths travel beside them, and what no profile is read from stays here. */
const READ = /\.(jsonc?|ya?ml|md|markdown|mdc|toml)$/i;
const NEVER = /(^|\/)(\.git|node_modules|\.venv|__pycache__)\//;
const LARGEST = 1024 * 1024;

document.addEventListener("change", (event) => {
  const { folder } = event.target.dataset ?? {};
  if (!folder) return;
  const input = event.target;
  const kept = new DataTransfer();
  const paths = [];
  for (const file of input.files) {
    const path = file.webkitRelativePath || file.name;
    if (!READ.test(path) || NEVER.test(path) || file.size > LARGEST) continue;
    kept.items.add(file);
    paths.push(path);
  }
  input.files = kept.files;
  for (const old of input.form.querySelectorAll(`input[name="${folder}"]`)) old.remove();
  for (const path of paths) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: folder, value: path });
    input.form.append(field);
  }
});
