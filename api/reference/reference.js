// Starts Swagger UI on the description of this server, with a search through all operations.
const matching = (text, phrase) => phrase.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

const plugin = {
  // The name of an operation stands in a button: a link inside would be a second control in the first.
  wrapComponents: { DeepLink: (_original, system) => ({ text }) => system.React.createElement("span", {}, text) },
  fn: {
    opsFilter: (groups, phrase) => groups
      .map((group, tag) => group.update("operations", (operations) => operations.filter((operation) =>
        matching([tag, operation.get("path"), operation.get("method"), operation.getIn(["operation", "summary"]), operation.getIn(["operation", "description"])].join(" "), phrase))))
      .filter((group) => group.get("operations").size > 0),
  },
};

// Choices that come without a label.
new MutationObserver(() => {
  for (const choice of document.querySelectorAll("select:not([aria-label])")) {
    choice.setAttribute("aria-label", choice.classList.contains("examples-select-element") ? "Example" : "Choice");
  }
}).observe(document.getElementById("reference"), { childList: true, subtree: true });

SwaggerUIBundle({
  url: "/docs/openapi.json",
  dom_id: "#reference",
  plugins: [plugin],
  filter: true,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  requestSnippetsEnabled: false,
  validatorUrl: null,
  onComplete: () => {
    const field = document.querySelector(".operation-filter-input");
    if (!field) return;
    field.placeholder = "Search operations";
    field.setAttribute("aria-label", "Search operations");
  },
});
