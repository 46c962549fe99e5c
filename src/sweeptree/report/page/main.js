// Starts everything.

const data = JSON.parse(byId("data").textContent);

function startTheme() {
  const button = byId("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  const label = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  prefersDark.addEventListener("change", label);
  label();
}

startTheme();
startViewer();
showUse();
startCurves();
showDoubts();
noteOnWhatIf();
startCases();
showTraces();
window.sweeptree = { predict, predictInterval };
