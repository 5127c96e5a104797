/* A chosen file is read into the field beside it, so that it can be seen, mended and is sent as text. */
const LARGEST = 1024 * 1024;

document.addEventListener("change", async (event) => {
  const { readInto } = event.target.dataset ?? {};
  const [file] = event.target.files ?? [];
  // What is too large travels as the file that it is, and the answer says so.
  if (!readInto || !file || file.size > LARGEST) return;
  const field = document.getElementById(readInto);
  field.value = await file.text();
  event.target.value = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
