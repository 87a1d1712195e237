//===- Plot.cpp - Files of timed runs ---------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/Plot.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

void run::writeCsv(raw_ostream &os, ArrayRef<TimedRun> runs) {
  os << "caller,due_seconds,latency_seconds\n";
  for (const TimedRun &run : runs)
    os << run.caller << format(",%.9f,%.9f\n", run.due, run.latency());
}

static constexpr int panelWidth = 360, panelHeight = 220, margin = 60;
static constexpr size_t maxDots = 2000;

namespace {

/// A diagram whose axes begin at 0.
struct Panel {
  raw_ostream &os;
  int left;
  double maxX, maxY;

  double x(double value) const { return left + value / maxX * panelWidth; }
  double y(double value) const {
    return margin + panelHeight - value / maxY * panelHeight;
  }
  void drawAxes(StringRef label) const;
  void drawTickX(double at, double label) const;
};

} // namespace

/// Text for people, in a file of XML.
static std::string escape(StringRef text) {
  std::string escaped;
  raw_string_ostream os(escaped);
  printHTMLEscaped(text, os);
  return escaped;
}

/// 1, 2 or 5 times a power of ten, such that there are about four steps.
static double stepOf(double max) {
  double power = std::pow(10, std::floor(std::log10(max / 4)));
  for (double step : {1, 2, 5})
    if (max / (step * power) <= 5)
      return step * power;
  return 10 * power;
}

void Panel::drawTickX(double at, double label) const {
  os << format("<path class=\"grid\" d=\"M%.1f %d v%d\"/>", x(at), margin,
               panelHeight)
     << format("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
               x(at), margin + panelHeight + 18, label);
}

void Panel::drawAxes(StringRef label) const {
  double step = stepOf(maxY);
  for (double value = 0; value <= maxY; value += step)
    os << format("<path class=\"grid\" d=\"M%d %.1f h%d\"/>", left, y(value),
                 panelWidth)
       << format("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                 left - 6, y(value) + 4, value);
  os << format("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
               left + panelWidth / 2, margin + panelHeight + 38)
     << label << "</text>\n";
}

static void drawTimes(const Panel &panel, ArrayRef<TimedRun> runs) {
  panel.drawAxes("seconds since the first run");
  double step = stepOf(panel.maxX);
  for (double value = 0; value <= panel.maxX; value += step)
    panel.drawTickX(value, value);
  // Of each group of adjacent elements the longest.
  size_t group = divideCeil(runs.size(), maxDots);
  for (size_t i = 0; i < runs.size(); i += group) {
    auto shorter = [](const TimedRun &a, const TimedRun &b) {
      return a.latency() < b.latency();
    };
    const TimedRun &run =
        *max_element(runs.slice(i, std::min(group, runs.size() - i)), shorter);
    panel.os << format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>\n",
                       panel.x(run.due), panel.y(run.latency() * 1e3));
  }
}

/// From the median to the longest, where each half of the rest is as wide.
static void drawPercentiles(const Panel &panel, ArrayRef<double> sorted) {
  panel.drawAxes("percentile");
  for (double percent : {50.0, 90.0, 99.0, 99.9})
    if (double at = -std::log2(1 - percent / 100); at <= panel.maxX)
      panel.drawTickX(at, percent);
  panel.os << "<polyline points=\"";
  size_t steps = 200;
  for (size_t step = 0; step <= steps; ++step) {
    double at = panel.maxX * double(step) / double(steps);
    double part = 1 - std::exp2(-at);
    size_t rank =
        std::min(size_t(part * double(sorted.size())), sorted.size() - 1);
    panel.os << format("%.1f,%.1f ", panel.x(at), panel.y(sorted[rank] * 1e3));
  }
  panel.os << "\"/>\n";
}

void run::writeSvg(raw_ostream &os, ArrayRef<TimedRun> runs, StringRef title) {
  std::vector<double> sorted;
  for (const TimedRun &run : runs)
    sorted.push_back(run.latency());
  llvm::sort(sorted);
  int width = 2 * (panelWidth + margin) + margin;
  int height = panelHeight + 2 * margin;
  os << format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
               "%d\">\n",
               width, height)
     << "<style>svg{background:#fff}text{font:12px sans-serif;fill:#222}"
        ".grid{stroke:#ddd}circle{fill:#1f6fb4;fill-opacity:.5}"
        "polyline{fill:none;stroke:#1f6fb4;stroke-width:1.5}"
        "@media(prefers-color-scheme:dark){svg{background:#1b1b1f}"
        "text{fill:#ddd}.grid{stroke:#444}}</style>\n"
     << format("<text x=\"%d\" y=\"24\">", margin) << escape(title)
     << "</text>\n"
     << format("<text x=\"%d\" y=\"44\">latency in ms</text>\n", margin);
  double maxY = std::max(sorted.back() * 1.05e3, 1e-9);
  double end = std::max(runs.back().due, 1e-9);
  drawTimes({os, margin, end, maxY}, runs);
  drawPercentiles({os, 2 * margin + panelWidth,
                   std::max(std::log2(double(sorted.size())), 1.0), maxY},
                  sorted);
  os << "</svg>\n";
}
