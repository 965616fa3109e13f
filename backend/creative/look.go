package creative

// The look of a message: a sheet of paper on warm ground. Colours that need to differ in the dark hang on classes.
const (
	fontStack = "Inter, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

	groundColour = "#F4F1EC"
	paperColour  = "#FFFFFF"
	textColour   = "#23262D"
	dimColour    = "#6A6F7B"
	lineColour   = "#E9E6E0"
	brandColour  = "#2E4A3F"

	paragraphStyle = "margin:0 0 14px"
	itemStyle      = "margin:0 0 6px"
	linkStyle      = "color:" + brandColour + ";text-decoration:underline"
	footLinkStyle  = "color:" + dimColour + ";text-decoration:underline"
)

// headingStyles are those of levels 1 to 3.
var headingStyles = [3]string{
	"margin:0;font-size:24px;line-height:31px;font-weight:600;letter-spacing:-0.2px",
	"margin:0;font-size:20px;line-height:27px;font-weight:600",
	"margin:0;font-size:17px;line-height:24px;font-weight:600",
}

// head is the part of the MJML head that is the same in every message.
const head = `<mj-attributes><mj-all font-family="` + fontStack + `"/>` +
	`<mj-text font-size="16px" line-height="25px" color="` + textColour + `" padding="8px 28px"/>` +
	`<mj-button font-size="16px" font-weight="600" line-height="20px" background-color="` + brandColour + `" color="#FFFFFF"` +
	` border-radius="6px" inner-padding="13px 22px" padding="10px 28px"/>` +
	`<mj-image padding="10px 0" fluid-on-mobile="true"/><mj-section padding="0"/><mj-wrapper padding="0"/>` +
	`<mj-divider border-width="1px" border-color="` + lineColour + `" padding="14px 28px"/><mj-spacer padding="0"/></mj-attributes>` +
	`<mj-raw><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></mj-raw>` +
	`<mj-style>` + darkStyle + `</mj-style>`

const darkStyle = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:479px){.ground{padding:0 !important}.paper,.paper td{border-radius:0 !important}}
@media (prefers-color-scheme:dark){
body,.ground{background:#17191E !important;background-color:#17191E !important}
.paper,.paper>table{background:#22252B !important;background-color:#22252B !important}
.paper>table>tbody>tr>td{border-color:#353941 !important}
.ink,.ink div,.ink p,.ink li{color:#E8E6E1 !important}
.title div,.title h1,.title h2,.title h3,.ink a,.ink h1,.ink h2,.ink h3{color:#BFD8C9 !important}
.quiet div,.quiet a{color:#A2A7B2 !important}
.line p,.foot>table>tbody>tr>td{border-top-color:#353941 !important}
.cta td,.cta a{background:#BFD8C9 !important;background-color:#BFD8C9 !important;color:#17211C !important}
}`

// afterPreheader keeps the text of the message out of the inbox's preview line.
const afterPreheader = "&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;" +
	"&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;" +
	"&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;"
